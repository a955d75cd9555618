import { randomBytes } from "node:crypto";
import { kinds } from "../../api/index.ts";
import { profileFaults } from "../../engines/actionset/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Resource, resourceOf } from "../../kube/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { buildProfile } from "./build.ts";
import { checkStore } from "./validate.ts";

const secrets: Resource = builtIn.secrets;

/** Makes a Profile and its Secret; what does not work is taken back. */
export async function createProfile(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  try {
    const { profile, secret } = buildProfile(input, namespace, io.env, () => randomBytes(3).toString("hex"));
    const [fault] = profileFaults(profile);
    if (fault !== undefined) throw new AppError("USAGE", fault, { retry: false });
    if (text(input, "dry-run") === "client") {
      const { structured } = await import("../render/structured.ts");
      const hidden = secret && {
        ...secret,
        stringData: Object.fromEntries(Object.keys(secret.stringData).map((key) => [key, "…"])),
      };
      io.out(
        [...(hidden ? [await structured(hidden, "yaml")] : []), await structured(profile, "yaml")].join(
          "---\n",
        ),
      );
      return;
    }
    if (secret) await client.create(secrets, secret, {}, signal);
    try {
      if (!given(input, "skip-validation")) await checkStore(client, profile, signal, true);
      await client.create(resourceOf(kinds.Profile), profile, {}, signal);
    } catch (error) {
      if (secret) await client.delete(secrets, secret.metadata.name, { namespace }).catch(() => undefined); // the failure itself is told
      throw error;
    }
    io.out(`profile ${profile.metadata.name} created\n`);
  } finally {
    client.close();
  }
}
