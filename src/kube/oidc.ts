import { readFile, rename, stat, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { parseDocument } from "yaml";
import { AppError, messageOf } from "../errors.ts";
import type { CredentialSource } from "./credentials.ts";
import type { UserEntry } from "./kubeconfig.ts";

/** Refreshed this long before the end. */
const earlyMs = 30_000;

/** The `oidc` auth provider: an id token that is refreshed when it ends, and kept in the kubeconfig as kubectl does. */
export function oidcCredentials(user: UserEntry, now: () => number = Date.now): CredentialSource {
  const config: Record<string, string> = { ...user.authProvider?.config };
  let running: Promise<void> | undefined;
  let refused = false;
  return {
    async get(signal) {
      const token = config["id-token"];
      if (token !== undefined && token !== "" && !refused && now() < endOf(token) - earlyMs) return { token };
      running ??= refresh(user, config, signal).finally(() => {
        running = undefined;
        refused = false;
      });
      await running;
      return { token: config["id-token"] ?? "" };
    },
    refused() {
      refused = true;
      return config["refresh-token"] !== undefined;
    },
  };
}

/** When a JSON web token ends, epoch milliseconds; never, when it does not say. */
export function endOf(token: string): number {
  try {
    const [, payload = ""] = token.split(".");
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { exp?: unknown };
    return typeof exp === "number" ? exp * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY; // the server judges it, not we
  }
}

async function refresh(user: UserEntry, config: Record<string, string>, signal?: AbortSignal): Promise<void> {
  const fail = (why: string, cause?: unknown) =>
    new AppError("KUBE_CREDENTIALS", `cannot refresh the OIDC token of user "${user.name}": ${why}`, {
      cause,
    });
  const { "idp-issuer-url": issuer, "client-id": clientId, "refresh-token": refreshToken } = config;
  if (!issuer || !clientId || !refreshToken) {
    throw fail("its auth-provider has no refresh-token, idp-issuer-url or client-id");
  }
  const ca = await issuerCa(config);
  const ask = (url: string, body?: URLSearchParams) =>
    fetchJson(url, { ca, signal, ...(body && { body: body.toString() }) }).catch((cause: unknown) => {
      throw fail(messageOf(cause), cause);
    });
  const { token_endpoint: endpoint } = await ask(
    `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
  );
  if (typeof endpoint !== "string") throw fail(`"${issuer}" names no token endpoint`);
  const secret = config["client-secret"];
  const answer = await ask(
    endpoint,
    new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      client_id: clientId,
      ...(secret && { client_secret: secret }),
    }),
  );
  if (typeof answer["id_token"] !== "string") throw fail(`"${issuer}" answered without an id token`);
  config["id-token"] = answer["id_token"];
  if (typeof answer["refresh_token"] === "string") config["refresh-token"] = answer["refresh_token"];
  await keep(user, config);
}

/** Refresh tokens may be good for one use only, so the new ones are written back, as kubectl does. */
async function keep(user: UserEntry, config: Readonly<Record<string, string>>): Promise<void> {
  try {
    const document = parseDocument(await readFile(user.path, "utf8"));
    const users = document.toJS().users as readonly { readonly name?: string }[]; // it was read as such before
    const index = users.findIndex((entry) => entry.name === user.name);
    if (index < 0) return;
    for (const key of ["id-token", "refresh-token"]) {
      document.setIn(["users", index, "user", "auth-provider", "config", key], config[key]);
    }
    const { mode } = await stat(user.path);
    const part = `${user.path}.${process.pid}.part`;
    await writeFile(part, document.toString(), { mode });
    await rename(part, user.path);
  } catch {
    // A kubeconfig that cannot be written still served for this run; the next one may have to log in.
  }
}

async function issuerCa(config: Readonly<Record<string, string>>): Promise<string | undefined> {
  const data = config["idp-certificate-authority-data"];
  if (data) return Buffer.from(data, "base64").toString();
  const file = config["idp-certificate-authority"];
  return file ? readFile(file, "utf8") : undefined;
}

interface Ask {
  readonly ca: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly body?: string;
}

function fetchJson(url: string, { ca, signal, body }: Ask): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const options: https.RequestOptions = {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" },
      timeout: 30_000,
      ...(ca !== undefined && { ca }),
      ...(signal && { signal }),
    };
    const request = url.startsWith("http:") ? http.request(url, options) : https.request(url, options);
    request.on("timeout", () => request.destroy(new Error(`"${url}" did not answer in time`)));
    request.on("error", reject);
    request.on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        if (text.length < 1 << 20) text += part;
      });
      answer.on("error", reject);
      answer.on("end", () => {
        if (answer.statusCode !== 200) return reject(new Error(`"${url}" answered ${answer.statusCode}`));
        try {
          resolve(JSON.parse(text) as Record<string, unknown>); // fields are checked by the caller
        } catch {
          reject(new Error(`"${url}" did not answer in JSON`));
        }
      });
    });
    request.end(body);
  });
}
