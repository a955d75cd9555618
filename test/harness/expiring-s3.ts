import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

/** A door to an S3 server whose keys run out when a test says so. */
export interface ExpiringS3 {
  readonly url: string;
  /** From the first request on that this is true for, every one is refused as S3 refuses expired keys; undefined ends that. */
  expireAt(which: ((method: string, path: string) => boolean) | undefined): void;
  readonly stop: () => Promise<void>;
}

/** Signatures hold: requests go on as they came, the name of the host included. */
export async function startExpiringS3(endpoint: string): Promise<ExpiringS3> {
  const { hostname, port } = new URL(endpoint);
  let which: ((method: string, path: string) => boolean) | undefined;
  let isOver = false;
  const server = createServer((asked, answer) => {
    const { method = "", url: path = "", headers } = asked;
    isOver ||= which?.(method, path) ?? false;
    if (isOver) {
      asked.resume();
      const words = "The provided token has expired.";
      const body = `<Error><Code>ExpiredToken</Code><Message>${words}</Message></Error>`;
      answer.writeHead(400, { "content-type": "application/xml" }).end(method === "HEAD" ? "" : body);
      return;
    }
    const on = forward({ hostname, port, method, path, headers }, (said) => {
      answer.writeHead(said.statusCode ?? 502, said.headers);
      said.pipe(answer);
    });
    on.on("error", () => answer.destroy());
    asked.pipe(on);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    expireAt(next) {
      which = next;
      isOver = false;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
