import { defineKind, type ObjectOf } from "../kind.ts";
import { bool, mapOf, obj, open, str } from "../schema.ts";
import { reference, v1alpha1 } from "./group.ts";

const secretPart = (description: string) =>
  open(obj(description, { key: str("The key inside the Secret"), secret: reference("The Secret") }));

/** The kind Profile. */
export const profile = defineKind({
  ...v1alpha1,
  kind: "Profile",
  plural: "profiles",
  description: "Where artifacts are stored, and the credentials for it",
  fields: {
    location: obj("The place", {
      type: str("gcs, s3Compliant, azure or kopia"),
      bucket: str("The bucket"),
      endpoint: str("The address of the store"),
      prefix: str("The folder inside the bucket"),
      region: str("The region"),
    }),
    credential: obj("The credentials", {
      type: str("keyPair, secret or kopia"),
      keyPair: obj("An id and a secret, both kept in a Secret", {
        idField: str("The key of the id"),
        secretField: str("The key of the secret"),
        secret: reference("The Secret"),
      }),
      secret: reference("A Secret of a known type"),
      kopiaServerSecret: open(
        obj("Credentials of a kopia server", {
          username: str("The user"),
          hostname: str("The user's host"),
          userPassphrase: secretPart("The user's password"),
          tlsCert: secretPart("The server's certificate"),
          connectOptions: mapOf("Numbers by name, such as cache sizes", { type: "integer" }),
        }),
      ),
    }),
    skipSSLVerify: bool("Whether the store's certificate is not checked"),
  },
});

/** Where artifacts are stored, and the credentials for it. */
export type Profile = ObjectOf<typeof profile>;
