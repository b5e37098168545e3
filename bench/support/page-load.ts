// A load generator in its own process: sends one GET again and again over keep-alive connections.
// Arguments: URL, Cookie header or "", connections, seconds. Prints the answers with status 200 as JSON.
import { connect } from "node:net";

const [url = "", cookie = "", connections = "32", seconds = "5"] = process.argv.slice(2);
const { host, hostname, port, pathname, search } = new URL(url);
const lines = [
  `GET ${pathname}${search} HTTP/1.1`,
  `Host: ${host}`,
  "Accept-Encoding: gzip, deflate, br, zstd",
];
if (cookie !== "") lines.push(`Cookie: ${cookie}`);
const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
const until = performance.now() + Number(seconds) * 1000;

/** The end of an answer without a length. */
const LAST_CHUNK = Buffer.from("0\r\n\r\n");
let answered = 0;
const waits: number[] = [];

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let head = "";
    let remaining = 0;
    let sentAt = 0;
    const send = () => {
      head = "";
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      if (head.endsWith("\r\n\r\n")) remaining -= chunk.length;
      else remaining = readHead(chunk);
      const isComplete = isChunked() ? chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : remaining <= 0;
      if (!isComplete || !head.endsWith("\r\n\r\n")) return;
      answered++;
      waits.push(performance.now() - sentAt);
      const isOver = performance.now() >= until;
      // The shop closes a connection after some requests.
      if (!isOver && !/^connection: close/im.test(head)) return send();
      socket.destroy();
      if (isOver) resolve();
      else open().then(resolve, reject);
    });

    const isChunked = () => /^transfer-encoding: chunked/im.test(head);
    /** @returns the bytes of the body that are still to come */
    function readHead(chunk: Buffer): number {
      const text = head + chunk.toString("latin1");
      const at = text.indexOf("\r\n\r\n");
      head = at === -1 ? text : text.slice(0, at + 4);
      if (at === -1) return 0;
      if (!head.startsWith("HTTP/1.1 200")) reject(new Error(head.slice(0, 40)));
      const length = /^content-length: (\d+)/im.exec(head)?.[1];
      return Number(length ?? 0) - (text.length - at - 4);
    }
  });
}

const began = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, open));
const perSecond = answered / ((performance.now() - began) / 1000);
waits.sort((a, b) => a - b);
const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
console.log(JSON.stringify({ perSecond: Math.round(perSecond), p99: Math.round(p99) }));
