import { accountAnnotation, type Restore } from "../../api/index.ts";
import type { MissingRight } from "../../kube/index.ts";

/** With whose rights restores are done. */
export interface RestoreRights {
  /** `none`: there are no restores; `account`: with those of a service account; `cluster`: with the operator's own. */
  readonly mode: "none" | "account" | "cluster";
  /** The account of Restores that name none, in mode `account`. */
  readonly account: string;
}

/** Who acts: a service account of the Restore's namespace, or (undefined) the operator; or why nobody may. */
export type Actor = { readonly account: string | undefined } | { readonly fault: string };

/** The operator's own rights, for those who run it by hand. */
export const ownRights: RestoreRights = { mode: "cluster", account: "headway-restore" };

const accountName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Who does a restore. An account that a Restore names is taken in every mode: whoever wrote the name wants no more than its
 * rights.
 */
export function actorOf({ metadata }: Pick<Restore, "metadata">, { mode, account }: RestoreRights): Actor {
  if (mode === "none") {
    return {
      fault:
        "this server may not restore anything: it was installed with --restore-rights=none; `headway install --restore-rights=account` changes that",
    };
  }
  const named = metadata.annotations?.[accountAnnotation];
  if (named === undefined) return { account: mode === "cluster" ? undefined : account };
  if (accountName.test(named)) return { account: named };
  return { fault: `the annotation ${accountAnnotation} names no service account: "${named.slice(0, 100)}"` };
}

/** What to do when the account that acts lacks a right. */
export function adviceFor(namespace: string, account: string): (right: MissingRight) => string {
  return ({ user, verb, resource, namespace: where }) => {
    if (verb === "impersonate") {
      return `"${user}" must be allowed to act as it: \`headway install --restore-account ${account}\` gives that right`;
    }
    const who = `--clusterrole=cluster-admin --serviceaccount=${namespace}:${account}`;
    const what =
      where === undefined
        ? `kubectl create clusterrolebinding ${account} ${who}`
        : `kubectl create rolebinding ${account} -n ${where} ${who}`;
    const scope = where === undefined ? "anywhere" : `in "${where}"`;
    return `service account "${namespace}/${account}" needs the right to ${verb} ${resource}; \`${what}\` lets it restore everything ${scope}, a narrower role is enough`;
  };
}
