// JSON-RPC over two streams, as the Language Server Protocol frames it: requests that are answered, and notifications both ways.
"use strict";

class Connection {
  constructor(input, output, onNotification) {
    Object.assign(this, { output, onNotification, received: Buffer.alloc(0), waiting: new Map(), last: 0 });
    input.on("data", (bytes) => this.receive(bytes));
    // Writing to a server that is gone fails; whoever started it notices its end, and calls refuseAll.
    output.on("error", () => {});
  }

  send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.output.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  request(method, params) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  receive(bytes) {
    this.received = Buffer.concat([this.received, bytes]);
    for (;;) {
      const end = this.received.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: *(\d+)/i.exec(this.received.toString("latin1", 0, end))[1]);
      const begin = end + 4;
      if (this.received.length < begin + length) return;
      const text = this.received.toString("utf8", begin, begin + length);
      this.received = this.received.subarray(begin + length);
      this.dispatch(JSON.parse(text));
    }
  }

  dispatch({ id, method, params, result, error }) {
    if (method) return this.onNotification(method, params);
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) asked?.reject(new Error(error.message));
    else asked?.resolve(result);
  }

  refuseAll(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

module.exports = { Connection };
