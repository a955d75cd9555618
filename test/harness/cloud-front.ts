import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** A proxy that leads whoever asks for a host of a cloud to an emulator on loopback, through TLS and all. */
export interface CloudFront {
  /** For HTTPS_PROXY. */
  readonly url: string;
  /** The hosts that were asked for. */
  readonly asked: ReadonlySet<string>;
  readonly stop: () => Promise<void>;
}

/** Programs then run with the arguments and the environment that they have in production, and nothing leaves the machine. */
export async function startCloudFront(port: number): Promise<CloudFront> {
  const asked = new Set<string>();
  const open = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(502).end());
  server.on("connect", (request, socket: Socket, head) => {
    asked.add(request.url ?? "");
    const inner = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      inner.write(head);
      inner.pipe(socket).pipe(inner);
    });
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => open.delete(one) && other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    for (const socket of open) socket.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}
