import { listenOn, openHttp } from "../../packages/wire/index.ts";
import { AppError, messageOf } from "../errors.ts";

/**
 * Answers the kubelet: `/healthz` while this process runs its loop, `/readyz` once it knows its volumes. An API server that is away is no reason to
 * end a copy, so that neither asks for it.
 */
export async function serveProbes(
  address: { readonly hostname: string; readonly port: number },
  isReady: () => boolean,
  signal: AbortSignal,
): Promise<{ readonly port: number; readonly closed: Promise<void> }> {
  const server = openHttp((_request, response, { pathname }) => {
    const known = pathname === "/healthz" || pathname === "/readyz";
    const status = !known ? 404 : pathname === "/healthz" || isReady() ? 200 : 503;
    const words = { 200: "ok", 404: "not found", 503: "still reading the cluster" }[status];
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
    response.end(`${words}\n`);
  });
  const port = await listenOn(server, address).catch((cause: unknown) => {
    const place = `${address.hostname}:${address.port}`;
    throw new AppError("SERVER_LISTEN", `cannot listen on ${place}: ${messageOf(cause)}`, {
      cause,
      retry: false,
    });
  });
  const closed = new Promise<void>((resolve) => {
    const close = () => {
      server.close(() => resolve());
      server.closeAllConnections();
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  });
  return { port, closed };
}
