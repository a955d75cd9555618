import type { Item } from "../archive/item-json.ts";
import { isRecord, recordOf, recordsOf, same, textOf, update, without } from "../json.ts";
import { withoutAnnotations } from "./reset.ts";

/** A binding whose subjects live in the target namespaces. */
export function mapSubjects(binding: Item, target: (namespace: string) => string): Item {
  return update(binding, ["subjects"], (subjects) =>
    Array.isArray(subjects)
      ? subjects.map((subject) =>
          isRecord(subject) && textOf(subject["namespace"]) !== ""
            ? { ...subject, namespace: target(textOf(subject["namespace"])) }
            : subject,
        )
      : subjects,
  );
}

/** A service account without the token that the cluster it came from had made for it. */
export function freeServiceAccount(account: Item): Item {
  return update(account, ["secrets"], (secrets) =>
    Array.isArray(secrets)
      ? secrets.filter((one) => !isToken(account.metadata.name, textOf(recordOf(one)["name"])))
      : secrets,
  );
}

/** Whether a Secret is a token that some cluster made for a service account. */
export function isAccountToken(secret: Item): boolean {
  return secret["type"] === "kubernetes.io/service-account-token";
}

/** The service account that a token belongs to. */
export function accountOf(secret: Item): string {
  return secret.metadata.annotations?.["kubernetes.io/service-account.name"] ?? "";
}

/** Whether a token was made by the cluster by itself: the new one makes its own. */
export function isAutomaticToken(secret: Item): boolean {
  const account = accountOf(secret);
  return account !== "" && isToken(account, secret.metadata.name);
}

/** A token somebody asked for: the new cluster fills it in again. */
export function freeToken(secret: Item): Item {
  const plain = withoutAnnotations(secret, ["kubernetes.io/service-account.uid"]);
  return update(plain, ["data"], (data) => (isRecord(data) ? without(data, "token", "ca.crt") : data));
}

/** What an existing service account lacks of the one in the backup: lists are joined, maps completed, nothing is lost. */
export function mergeServiceAccount(existing: Item, wanted: Item): Item {
  const names = (value: unknown): string[] => recordsOf(value).map((one) => textOf(one["name"]));
  const joined = (field: string): readonly unknown[] | undefined => {
    const have = recordsOf(existing[field]);
    const more = recordsOf(wanted[field]).filter((one) => !names(have).includes(textOf(one["name"])));
    return more.length === 0 ? undefined : [...have, ...more];
  };
  const secrets = joined("secrets");
  const pullSecrets = joined("imagePullSecrets");
  const maps = (field: "labels" | "annotations") => {
    const all = { ...recordOf(wanted.metadata[field]), ...recordOf(existing.metadata[field]) };
    return same(all, recordOf(existing.metadata[field])) ? {} : { [field]: all };
  };
  return {
    ...existing,
    metadata: { ...existing.metadata, ...maps("labels"), ...maps("annotations") },
    ...(secrets && { secrets }),
    ...(pullSecrets && { imagePullSecrets: pullSecrets }),
  };
}

function isToken(account: string, secret: string): boolean {
  return secret.startsWith(`${account}-token-`);
}
