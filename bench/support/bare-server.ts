// A bare Node server that hands out one file: what the cached pages are compared with. Arguments: port, file of the body, file of
// the headers as JSON.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { z } from "zod";

const [port, bodyFile = "", headersFile = ""] = process.argv.slice(2);
const body = readFileSync(bodyFile);
const headers = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(headersFile, "utf8")));
createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
