import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** An S3 server that cuts each connection after a megabyte of what it was asked for. */
export async function brokenStore(): Promise<{ readonly url: string; close(): void }> {
  const log = gzipSync(randomBytes(4_000_000));
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": log.length });
    response.write(log.subarray(0, 1_000_000), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
