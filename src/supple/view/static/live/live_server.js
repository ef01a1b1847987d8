// The live page and the server that it came from.

const httpLink = {
  async send(command) {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("command", { method: "POST", headers, body: JSON.stringify(command) });
    return answer.ok ? "" : answer.text();
  },
  listen(message, lost) {
    const stream = new EventSource("news");
    stream.onmessage = (event) => message(JSON.parse(event.data));
    stream.onopen = () => lost("");
    stream.onerror = () => lost("The simulation has ended, or does not answer.");
  },
  async save() {
    const answer = await fetch("result");
    return answer.ok ? { file: await answer.blob() } : { refusal: await answer.text() };
  },
};

window.live = openLive(document, JSON.parse(document.getElementById("data").textContent), httpLink);
