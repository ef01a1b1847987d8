// Pictures and films of the 3-D view, saved as files.

const save = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

// A name for a file: letters, digits and a few signs of the title.
const fileName = (text, ending) => `${text.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "supple"}.${ending}`;

// The view and its names in one picture.
const composed = (viewer, canvas = document.createElement("canvas")) => {
  if (canvas.width !== viewer.canvas.width || canvas.height !== viewer.canvas.height)
    [canvas.width, canvas.height] = [viewer.canvas.width, viewer.canvas.height];
  const pen = canvas.getContext("2d");
  for (const layer of [viewer.canvas, viewer.names]) pen.drawImage(layer, 0, 0);
  return canvas;
};

const savePicture = (viewer) => {
  viewer.draw();
  composed(viewer).toBlob((blob) => save(blob, fileName(document.title, "png")), "image/png");
};

// Records until it is stopped; `stop` gives the film.
class Recorder {
  static kind = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((kind) =>
    globalThis.MediaRecorder?.isTypeSupported(kind));

  constructor(viewer) {
    this.viewer = viewer;
    this.canvas = composed(viewer);
    this.parts = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: Recorder.kind, videoBitsPerSecond: 8e6 });
    this.recorder.ondataavailable = ({ data }) => this.parts.push(data);
    viewer.drawnListener = () => composed(viewer, this.canvas);
    this.recorder.start(200); // what is encoded comes in parts of so many milliseconds
  }

  stop() {
    this.viewer.drawnListener = undefined;
    return new Promise((done) => {
      this.recorder.onstop = () => done(new Blob(this.parts, { type: Recorder.kind }));
      this.recorder.stop();
    });
  }
}
