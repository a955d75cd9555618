import { readFile } from "node:fs/promises";
import { AppError } from "../errors.ts";
import type { ChosenContext } from "./kubeconfig.ts";

/** What proves who we are, for one request. */
export interface Credentials {
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  /** PEM client certificate and key. */
  readonly cert?: string;
  readonly key?: string;
}

/** Credentials that may change while the program runs. */
export interface CredentialSource {
  get(signal?: AbortSignal): Promise<Credentials>;
  /** The server said 401; true when asking again may give something newer. */
  refused(): boolean;
}

/** What a user entry needs beside itself. */
export interface UserContext extends ChosenContext {
  readonly ca: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return { get: () => Promise.resolve(credentials), refused: () => false };
}

/** A token that somebody else rotates on disk: read again each minute and after a 401. */
export function fileToken(path: string, now: () => number = Date.now): CredentialSource {
  const keepMs = 60_000;
  let cached: { readonly token: string; readonly readAt: number } | undefined;
  return {
    async get() {
      if (cached && now() - cached.readAt < keepMs) return { token: cached.token };
      try {
        cached = { token: (await readFile(path, "utf8")).trim(), readAt: now() };
      } catch (cause) {
        // The kubelet swaps the folder under us: an old token is better than none.
        if (!cached)
          throw new AppError("KUBE_CREDENTIALS", `cannot read the token file "${path}"`, { cause });
      }
      return { token: cached.token };
    },
    refused() {
      const hadOne = cached !== undefined;
      if (cached) cached = { ...cached, readAt: Number.NEGATIVE_INFINITY };
      return hadOne;
    },
  };
}

/** The credentials of a kubeconfig's user; plugins and providers are loaded only for those who have them. */
export async function userCredentials(context: UserContext): Promise<CredentialSource> {
  const { user, cluster, ca, env } = context;
  if (user.exec) {
    const { execCredentials } = await import("./exec-credential.ts");
    return execCredentials({ exec: user.exec, user: user.name, cluster, ca, env });
  }
  if (user.authProvider?.name === "oidc") {
    const { oidcCredentials } = await import("./oidc.ts");
    return oidcCredentials(user);
  }
  if (user.authProvider) {
    throw new AppError(
      "KUBE_CREDENTIALS",
      `user "${user.name}" has the auth-provider "${user.authProvider.name}", which Kubernetes itself dropped in 1.26 for credential plugins`,
    );
  }
  const cert = await pem(user.certData, user.certFile);
  const key = await pem(user.keyData, user.keyFile);
  const fixed = { ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
  if (user.tokenFile !== undefined) return withFixed(fileToken(user.tokenFile), fixed);
  return fixedCredentials({
    ...fixed,
    ...(user.token !== undefined && { token: user.token }),
    ...(user.username !== undefined && { username: user.username, password: user.password ?? "" }),
  });
}

function withFixed(source: CredentialSource, fixed: Credentials): CredentialSource {
  return {
    get: async (signal) => ({ ...fixed, ...(await source.get(signal)) }),
    refused: () => source.refused(),
  };
}

async function pem(data: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (data !== undefined) return Buffer.from(data, "base64").toString();
  if (file === undefined) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new AppError("KUBE_CREDENTIALS", `cannot read "${file}"`, { cause });
  }
}
