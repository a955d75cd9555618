import { createHmac } from "node:crypto";
import { sameSecret } from "./http/server.ts";

/** The name of whoever holds the administrator's token. */
const administrator = "kubernetes-admin";

/** A service account; one that was made anew under the same name is another one. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Makes and checks the bearer tokens of one cluster: the administrator's, and those of service accounts. */
export class Tokens {
  readonly #admin: string;
  readonly #uidOf: (namespace: string, name: string) => string | undefined;

  /** `uidOf` tells which account of a name is there now, if any. */
  constructor(admin: string, uidOf: (namespace: string, name: string) => string | undefined) {
    this.#admin = admin;
    this.#uidOf = uidOf;
  }

  /** Whose token it is; nobody's when its account is gone, as in any cluster. */
  userOf(token: string, nowMs: number): string | undefined {
    if (sameSecret(token, this.#admin)) return administrator;
    const [head = "", body = "", signature = ""] = token.split(".");
    if (!sameSecret(signature, this.#sign(`${head}.${body}`))) return undefined;
    const { account, exp } = JSON.parse(Buffer.from(body, "base64url").toString()) as Claims; // we signed it
    if (exp * 1000 <= nowMs || account === undefined) return undefined;
    const { namespace, name, uid } = account;
    return this.#uidOf(namespace, name) === uid ? subject(account) : undefined;
  }

  /** A token for a service account. */
  issue(account: Account, seconds: number, nowMs: number): { token: string; expiresMs: number } {
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const exp = Math.floor(nowMs / 1000) + seconds;
    const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({
      iss: "headway-local",
      sub: subject(account),
      account,
      iat: Math.floor(nowMs / 1000),
      exp,
    })}`;
    return { token: `${text}.${this.#sign(text)}`, expiresMs: exp * 1000 };
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#admin).update(text).digest("base64url");
  }
}

interface Claims {
  /** Absent in tokens that an older version made; nobody knows which account they were for. */
  readonly account?: Account;
  readonly exp: number;
}

function subject({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
