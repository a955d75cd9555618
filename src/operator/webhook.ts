import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import { join } from "node:path";
import { listenOn, openHttps, readBody } from "../../packages/wire/index.ts";
import { reviewAdmission } from "../engines/actionset/index.ts";
import { AppError, messageOf } from "../errors.ts";

/** Where the cluster asks whether Blueprints and ActionSets may be stored. */
export interface WebhookOptions {
  /** A folder with tls.crt and tls.key, as cert-manager and the cluster mount it. */
  readonly certificates: string;
  /** HOST:PORT */
  readonly listen: string;
  /** How often a certificate is looked for that is not there yet. */
  readonly lookMs?: number;
}

/** An object of the API is at most this long. */
const limitBytes = 4 * 1024 * 1024;
/** Certificates are renewed under a running program. */
const rereadMs = 30_000;
const paths = ["/validate/v1alpha1/blueprint", "/validate/v1alpha1/actionset"];

/** Serves the admission webhook until the signal fires, from the moment when its certificate is there; tells its port. */
export async function startWebhook(
  options: WebhookOptions,
  onNews: (level: "info" | "warning", message: string) => void,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { certificates, listen } = options;
  const found = read(certificates);
  if (found === undefined) {
    onNews("info", `the webhook waits for tls.crt and tls.key in "${certificates}"`);
    later(options, onNews, signal);
    return undefined;
  }
  const server = openHttps(found, serve, (error) => onNews("warning", `the webhook: ${String(error)}`));
  const at = listen.lastIndexOf(":");
  const place = { hostname: listen.slice(0, at), port: Number(listen.slice(at + 1)) };
  const port = await listenOn(server, place).catch((cause: unknown) => {
    throw new AppError("OPERATOR_FAILED", `the webhook cannot listen on "${listen}"`, { cause });
  });
  renew(server, certificates, signal);
  signal.addEventListener("abort", () => {
    server.close();
    server.closeAllConnections();
  });
  onNews("info", `Blueprints and ActionSets are reviewed on port ${port}`);
  return port;
}

/** Whoever makes certificates may be slower than this program, or never come. */
function later(
  options: WebhookOptions,
  onNews: Parameters<typeof startWebhook>[1],
  signal: AbortSignal,
): void {
  const timer = setInterval(() => {
    if (read(options.certificates) === undefined) return;
    clearInterval(timer);
    startWebhook(options, onNews, signal).catch((error: unknown) => onNews("warning", messageOf(error)));
  }, options.lookMs ?? rereadMs);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

function renew(server: Server, folder: string, signal: AbortSignal): void {
  const timer = setInterval(() => {
    const found = read(folder);
    try {
      if (found) server.setSecureContext(found);
    } catch {
      // half written: the old one is good until the next look
    }
  }, rereadMs);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

function read(folder: string): { readonly cert: Buffer; readonly key: Buffer } | undefined {
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  return existsSync(cert) && existsSync(key)
    ? { cert: readFileSync(cert), key: readFileSync(key) }
    : undefined;
}

async function serve(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  if (request.method !== "POST" || !paths.includes(url.pathname)) return void response.writeHead(404).end();
  const body = await readBody(request, limitBytes);
  try {
    const answer = reviewAdmission(JSON.parse(body.toString("utf8")));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  } catch {
    // No review at all: the caller learns that from the code, and there is nothing to add.
    response.writeHead(400).end();
  }
}
