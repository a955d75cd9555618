// A receiver that answers as Slack's API does, on loopback. Prints its port; each request becomes a line of the file that is named.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [file = "/dev/stdout"] = process.argv.slice(2);
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => void (body += chunk.toString("utf8")));
  request.on("end", () => {
    appendFileSync(file, `${request.url} ${body.replaceAll("\n", " ")}\n`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ok: true, channel: "C1", ts: "1.1" }));
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`); // it listens on a port
});
