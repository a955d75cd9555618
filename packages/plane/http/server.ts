import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Duplex } from "node:stream";
import { type Certificate, listenOn, openHttps } from "../../wire/index.ts";
import type { Api } from "../api.ts";
import { ApiError } from "../status.ts";
import { negotiate } from "./accept.ts";
import type { Exchange } from "./exchange.ts";
import { parsePath } from "./path.ts";
import { route, type Subresources } from "./route.ts";

/** What the server needs. */
export interface ServerOptions {
  readonly api: Api;
  readonly certificate: Certificate;
  readonly host: string;
  readonly port: number;
  /** Who a bearer token belongs to; undefined when it is not one of ours. */
  authenticate(token: string): string | undefined;
  readonly subresources: Subresources;
  /** Takes over an upgraded connection (exec); returns false when the path is not its own. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, user: string): boolean;
}

/** A listening API server. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the API on loopback until closed. */
export async function listen(options: ServerOptions): Promise<Listening> {
  const stop = new AbortController();
  const server = openHttps(
    { key: options.certificate.key, cert: options.certificate.cert, keepAliveTimeout: 60_000 },
    (request, response, url) => handle(options, request, response, url, stop.signal),
  );
  // The server forgets a connection that was taken over, and would wait for its end for ever.
  const taken = new Set<Duplex>();
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    taken.add(socket);
    socket.once("close", () => taken.delete(socket));
    socket.on("error", () => socket.destroy()); // nobody else listens from here on
    const status = upgraded(options, request, socket, head);
    if (status !== undefined) socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
  });
  const port = await listenOn(server, { hostname: options.host, port: options.port });
  return { port, close: () => close(server, stop, taken) };
}

/** Hands a connection over; the status line of the answer when nobody takes it. */
function upgraded(
  options: ServerOptions,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): string | undefined {
  const user = userOf(options, request);
  if (user === undefined) return "401 Unauthorized";
  if (!URL.canParse(request.url ?? "/", "https://localhost")) return "400 Bad Request";
  return options.upgrade(request, socket, head, user) ? undefined : "404 Not Found";
}

async function close(server: Server, stop: AbortController, taken: ReadonlySet<Duplex>): Promise<void> {
  stop.abort();
  await new Promise<void>((done) => {
    server.close(() => done());
    server.closeAllConnections();
    for (const socket of taken) socket.destroy();
  });
}

async function handle(
  options: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  stop: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const user = userOf(options, request);
    if (user === undefined) throw new ApiError(401, "Unauthorized", "Unauthorized");
    const accepted = negotiate(request.headers.accept);
    // openapi and logs negotiate on their own
    if (
      !accepted &&
      parsePath(url.pathname)?.subresource === undefined &&
      !url.pathname.startsWith("/openapi")
    ) {
      throw new ApiError(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml",
        {},
      );
    }
    const signal = AbortSignal.any([gone.signal, stop]);
    const x: Exchange = {
      request,
      response,
      url,
      accepted: accepted ?? { media: "json" },
      user,
      signal,
      authenticate: (token) => options.authenticate(token),
    };
    await route(options.api, x, options.subresources);
  } catch (error) {
    refuse(response, error);
  }
}

/** An error becomes a Status; after the first byte the connection can only be cut. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const known =
    error instanceof ApiError
      ? error
      : new ApiError(500, "InternalError", `Internal error occurred: ${String(error)}`);
  const text = `${JSON.stringify(known.status())}\n`;
  response.writeHead(known.code, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(known.details?.retryAfterSeconds !== undefined && {
      "retry-after": `${known.details.retryAfterSeconds}`,
    }),
  });
  response.end(text);
}

function userOf(options: ServerOptions, request: IncomingMessage): string | undefined {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  return token === undefined ? undefined : options.authenticate(token);
}

/** Whether two secrets are the same, in constant time. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
