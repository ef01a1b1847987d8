// Sections one of which is seen: buttons with the role of tabs, arrow keys go from one to the next.

class Tabs {
  constructor(bar, panels) {
    this.tabs = panels.map((panel, i) => {
      const tab = document.createElement("button");
      Object.assign(tab, { type: "button", textContent: panel.dataset.tab, id: `tab${i}` });
      tab.setAttribute("role", "tab");
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.onclick = () => this.choose(i);
      bar.append(tab);
      return { tab, panel };
    });
    bar.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], count = this.tabs.length;
      if (!step) return;
      event.preventDefault();
      this.choose((this.chosen + step + count) % count);
      this.tabs[this.chosen].tab.focus();
    };
    this.choose(0);
  }

  choose(chosen) {
    this.chosen = chosen;
    this.tabs.forEach(({ tab, panel }, i) => {
      tab.setAttribute("aria-selected", i === chosen);
      tab.tabIndex = i === chosen ? 0 : -1;
      panel.hidden = i !== chosen;
    });
  }
}
