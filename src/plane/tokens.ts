import { createHmac } from "node:crypto";
import { sameSecret } from "./http/server.ts";

/** The name of whoever holds the administrator's token. */
const administrator = "kubernetes-admin";

/** Makes and checks the bearer tokens of one cluster: the administrator's, and those of service accounts. */
export class Tokens {
  readonly #admin: string;

  constructor(admin: string) {
    this.#admin = admin;
  }

  /** Whose token it is. */
  userOf(token: string, nowMs: number): string | undefined {
    if (sameSecret(token, this.#admin)) return administrator;
    const [head = "", body = "", signature = ""] = token.split(".");
    if (!sameSecret(signature, this.#sign(`${head}.${body}`))) return undefined;
    const { sub, exp } = JSON.parse(Buffer.from(body, "base64url").toString()) as {
      sub: string;
      exp: number;
    };
    return exp * 1000 > nowMs ? sub : undefined;
  }

  /** A token for a service account. */
  issue(
    namespace: string,
    account: string,
    seconds: number,
    nowMs: number,
  ): { token: string; expiresMs: number } {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const exp = Math.floor(nowMs / 1000) + seconds;
    const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({
      iss: "headway-local",
      sub: `system:serviceaccount:${namespace}:${account}`,
      iat: Math.floor(nowMs / 1000),
      exp,
    })}`;
    return { token: `${text}.${this.#sign(text)}`, expiresMs: exp * 1000 };
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#admin).update(text).digest("base64url");
  }
}
