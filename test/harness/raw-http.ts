import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Sends bytes as they are, which no HTTP client would, and returns all that comes back. */
export function rawHttp(port: number, bytes: string, { tls = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const where = { host: "127.0.0.1", port };
    const socket: Socket = tls ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where);
    let text = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer to ${JSON.stringify(bytes)}`)));
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" ? resolve(text) : reject(error),
    );
    socket.on("close", () => resolve(text));
    socket.write(bytes);
  });
}

/** A request for a path as it stands, on a connection of its own. */
export function rawGet(
  port: number,
  path: string,
  options: { readonly tls?: boolean } = {},
): Promise<string> {
  return rawHttp(port, `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`, options);
}

/** Requests that are none, or barely. */
export const oddRequests: readonly (readonly [name: string, bytes: string])[] = [
  ["an empty authority", "GET // HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"],
  ["a bad port", "GET //a:b HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"],
  ["a bad escape", "GET /%zz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"],
  ["an absolute form", "GET http://[::bad/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"],
  ["an authority alone", "OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"],
  ["no HTTP at all", "\u0000\u0001\u0002 hello\r\n\r\n"],
  ["two lengths", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
  ["a bad host", "GET / HTTP/1.1\r\nhost: [\r\nconnection: close\r\n\r\n"],
  ["a head without end", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(70_000)}\r\n\r\n`],
];
