import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { reviewAdmission } from "../engines/actionset/index.ts";
import { AppError } from "../errors.ts";

/** Where the cluster asks whether Blueprints and ActionSets may be stored. */
export interface WebhookOptions {
  /** A folder with tls.crt and tls.key, as cert-manager and the cluster mount it. */
  readonly certificates: string;
  /** HOST:PORT */
  readonly listen: string;
}

/** An object of the API is at most this long. */
const limitBytes = 4 * 1024 * 1024;
/** Certificates are renewed under a running program. */
const rereadMs = 60_000;
const paths = ["/validate/v1alpha1/blueprint", "/validate/v1alpha1/actionset"];

/** Serves the admission webhook until the signal fires; returns its port. */
export async function startWebhook(options: WebhookOptions, signal: AbortSignal): Promise<number> {
  const server = createServer(
    read(options.certificates),
    (request, response) => void serve(request, response),
  );
  const at = options.listen.lastIndexOf(":");
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new AppError("OPERATOR_FAILED", `the webhook cannot listen on "${options.listen}"`, { cause }));
    });
    server.listen(Number(options.listen.slice(at + 1)), options.listen.slice(0, at), resolve);
  });
  renew(server, options.certificates, signal);
  signal.addEventListener("abort", () => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port; // a listening TCP server has one
}

function renew(server: Server, folder: string, signal: AbortSignal): void {
  const timer = setInterval(() => {
    try {
      server.setSecureContext(read(folder));
    } catch {
      // half written: the old one is good until the next look
    }
  }, rereadMs);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

function read(folder: string): { readonly cert: Buffer; readonly key: Buffer } {
  try {
    return { cert: readFileSync(join(folder, "tls.crt")), key: readFileSync(join(folder, "tls.key")) };
  } catch (cause) {
    throw new AppError("OPERATOR_FAILED", `the webhook has no certificate in "${folder}"`, { cause });
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = new URL(request.url ?? "/", "https://localhost").pathname;
  if (request.method !== "POST" || !paths.includes(path)) return void response.writeHead(404).end();
  try {
    const answer = reviewAdmission(JSON.parse(await bodyOf(request)));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  } catch {
    // No review at all: the caller learns that from the code, and there is nothing to add.
    response.writeHead(400).end();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new RangeError("longer than any object");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
