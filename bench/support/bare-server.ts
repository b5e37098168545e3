// A bare Node server that hands out one file: what the cached pages are compared with. Arguments: port, file of the body.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port, file = ""] = process.argv.slice(2);
const body = readFileSync(file);
const headers = { "content-type": "text/html; charset=utf-8", "content-encoding": "br" };
createServer((_request, response) => {
  response.writeHead(200, { ...headers, "content-length": body.length });
  response.end(body);
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
