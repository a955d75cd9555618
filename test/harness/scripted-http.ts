import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What a scripted server says. */
export interface Said {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the connection after the body, whatever length was announced. */
  readonly cut?: boolean;
}

/** A server on loopback that says what a test wants, and remembers what it was asked. */
export async function startScripted(answer: (request: SeenRequest) => Said) {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      const { status = 200, body = "", headers: given = {}, cut = false } = answer(one);
      response.writeHead(status, given);
      response.write(body, () => (cut ? response.destroy() : response.end()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { origin, seen, stop };
}
