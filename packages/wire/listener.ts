import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { TooLong } from "./body.ts";

/** Answers one request. It may throw at any time: the caller then gets an answer, or an end. */
export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void;

/** Told of what a handler threw: those are faults of ours, not of who asked. */
type OnFault = (error: unknown) => void;

/** A request's head may take so long, and the whole of it so long: half a request holds a connection no longer. */
const headMs = 20_000;
const wholeMs = 300_000;
/** Connections at a time; what comes on top is closed. */
const maxConnections = 2_000;
const maxHeaders = 200;

/** A plain HTTP server whose handler cannot end the process; it does not listen yet. */
export function openHttp(handle: Handler, onFault?: OnFault): Server {
  return limited(createServer(guarded(handle, onFault)), onFault);
}

/** The same with TLS. */
export function openHttps(
  tls: { readonly cert: string | Buffer; readonly key: string | Buffer; readonly keepAliveTimeout?: number },
  handle: Handler,
  onFault?: OnFault,
): TlsServer {
  return limited(createTlsServer(tls, guarded(handle, onFault)), onFault);
}

/** Bounds what strangers may hold of a server, and gives every error of it a way that is not the process's end. */
export function limited<S extends Server | TlsServer>(server: S, onFault?: OnFault): S {
  server.headersTimeout = headMs;
  server.requestTimeout = wholeMs;
  server.maxHeadersCount = maxHeaders;
  server.maxConnections = maxConnections;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => turnAway(error, socket));
  // Such as too many open files at an accept: the next one may work.
  server.on("error", (error: Error) => onFault?.(error));
  return server;
}

/** Binds a server to its address; rejects when it cannot have it. Tells the port. */
export async function listenOn(
  server: Server | TlsServer,
  { hostname, port }: { readonly hostname: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port; // it listens on a port, not on a file
}

function guarded(
  handle: Handler,
  onFault: OnFault = () => undefined,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    // Whoever asked may go at any time; what is written to them then is lost, and no error of ours.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const url = addressOf(request);
    if (!url) return refuse(response, 400, "this is no address");
    attempt(handle, request, response, url).catch((error: unknown) => {
      if (error instanceof TooLong) return refuse(response, 413, error.message);
      if (hasLeft(request, error)) return; // nobody is there to be told
      onFault(error);
      refuse(response, 500, "the server failed to answer");
    });
  };
}

/** Whether the fault is that whoever asked went away in the middle. */
function hasLeft(request: IncomingMessage, error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return request.socket.destroyed && (code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE");
}

/** So that what is thrown before the first wait is a rejection, too. */
async function attempt(handle: Handler, ...request: Parameters<Handler>): Promise<void> {
  await handle(...request);
}

/** The address of a request; undefined for what is none, such as `//`. */
function addressOf({ url = "/" }: IncomingMessage): URL | undefined {
  return URL.parse(url, "http://localhost") ?? undefined;
}

/** After the first byte the connection can only be cut. A caller that is still sending is not listened to. */
function refuse(response: ServerResponse, code: number, message: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(code, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${message}\n`);
}

const words: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Content Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** What is no HTTP is told so; the connection ends either way. */
function turnAway(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  socket.end(`HTTP/1.1 ${words[error.code ?? ""] ?? "400 Bad Request"}\r\nconnection: close\r\n\r\n`);
}
