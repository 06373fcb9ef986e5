// viewer/link.js -- the socket to the engine: JSON texts both ways, binary frames in (app/view/stage.c says how they are made).
//
// The page asks for each frame when it has drawn the one before. When the socket breaks it is opened again, and the engine introduces
// itself anew.
export class Link
{
  constructor(handlers)
  {
    this.handlers = handlers; // scene, topology, frame, value, note, trouble, movie, lost
    this.open();
  }

  open()
  {
    this.socket = new WebSocket("ws://" + location.host + "/socket");
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.ask();
    this.socket.onmessage = (event) => this.receive(event.data);
    this.socket.onclose = () =>
    {
      this.handlers.lost();
      setTimeout(() => this.open(), 1000);
    };
  }

  say(kind, fields)
  {
    if (this.socket.readyState === WebSocket.OPEN)
      this.socket.send(JSON.stringify({ kind, ...fields }));
  }

  ask() { this.say("frame"); }

  receive(data)
  {
    if (typeof data === "string")
    {
      const message = JSON.parse(data), handler = this.handlers[message.kind];
      if (handler)
        handler(message);
      return;
    }
    const [kind, length] = new Uint32Array(data, 0, 2);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 8, length)));
    const read = new Reader(data, 8 + length);
    if (kind === 1)
      this.handlers.topology(head, read);
    else if (kind === 2)
      this.handlers.frame(head, read);
  }
}

// Numbers one array after the other.
class Reader
{
  constructor(data, at) { this.data = data; this.at = at; }

  take(type, count)
  {
    const array = new type(this.data, this.at, count);
    this.at += array.byteLength;
    return array;
  }

  floats(count) { return this.take(Float32Array, count); }
  indices(count) { return this.take(Uint32Array, count); }
}
