// A live simulation in the output of a notebook: messages go through the kernel's comm, in place of a server.
// BODY and STYLE are the parts of live.html and page.css.

const commLink = (model) => {
  const waiting = new Map();
  let count = 0, heard = () => {};
  const ask = (content) => new Promise((done) => {
    const id = `${Date.now()}.${++count}.${Math.random()}`;
    waiting.set(id, done);
    model.send({ ...content, id });
  });
  const receive = (content, buffers) => {
    if (content.kind === "news") {
      heard(content.message);
      model.send({ kind: "seen" });
    } else if (waiting.has(content.id)) {
      waiting.get(content.id)(content.refusal ? { refusal: content.refusal } : { file: buffers?.[0] && new Blob(buffers) });
      waiting.delete(content.id);
    }
  };
  model.on("msg:custom", receive);
  return {
    send: async (command) => (await ask({ kind: "command", command })).refusal ?? "",
    save: () => ask({ kind: "save" }),
    listen(message) { heard = message; model.send({ kind: "open" }); },
    end() { model.off("msg:custom", receive); model.send({ kind: "close" }); },
  };
};

const render = ({ model, el }) => {
  const host = document.createElement("div"), root = host.attachShadow({ mode: "open" });
  host.dataset.lmSuppressShortcuts = "true"; // keys belong to the view, not to the notebook
  root.innerHTML = `<style>${STYLE}</style><div class="page">${BODY}</div>`;
  el.append(host);
  root.querySelector("h1").textContent = model.get("title");
  const link = commLink(model);
  const live = (host.live = openLive(root, JSON.parse(model.get("data")), link));
  return () => { live.closed = true; link.end(); };
};

export default { render };
