import { randomBytes } from "node:crypto";
import { kinds, type Profile } from "../../api/index.ts";
import { openProfileStore, profileFaults, readProfile } from "../../engines/actionset/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, resourceOf } from "../../kube/index.ts";
import { makeBucket } from "../../store/index.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input } from "../command.ts";
import type { Io } from "../io.ts";

/** Checks profiles, one line a check; the exit code is 1 when one failed. */
export async function validateProfiles(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  return withCluster(input, io, async ({ client, namespace }) => {
    let failed = false;
    for (const name of input.args) {
      const profile = await client.get<Profile>(resourceOf(kinds.Profile), name, { namespace }, signal);
      const faults = profileFaults(profile);
      for (const fault of faults) io.out(`${name}: failed: ${fault}\n`);
      if (faults.length === 0) io.out(`${name}: passed: fields\n`);
      failed ||= faults.length > 0;
      if (faults.length > 0 || given(input, "schema-validation-only")) continue;
      try {
        io.out(`${name}: passed: ${await checkStore(client, profile, signal)}\n`);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        failed = true;
        io.out(`${name}: failed: ${error.message}\n`);
      }
    }
    return failed ? 1 : 0;
  });
}

/** Writes, reads and deletes an object where the profile points to; says what was checked. A new profile may need its folder. */
export async function checkStore(
  client: Client,
  profile: Profile,
  signal: AbortSignal,
  isNew = false,
): Promise<string> {
  const read = await readProfile(client, profile, signal);
  const { type, bucket, endpoint } = read.location;
  if (isNew && type === "filesystem") {
    await makeBucket({ provider: "filesystem", bucket, config: { path: endpoint } });
  }
  // Only pods reach these: what can be seen from here is that the Secret is whole.
  if (type !== "s3Compliant" && type !== "filesystem") return "Secret";
  const store = await openProfileStore(read);
  const key = `headway-check-${randomBytes(6).toString("hex")}`;
  await store.put(key, Buffer.from("sample"), signal);
  const back = Buffer.concat(await Array.fromAsync(await store.get(key, signal)));
  await store.delete(key, signal);
  if (back.toString() !== "sample") {
    throw new AppError("ACTION_PROFILE", `${store.place} gave back something else than was written`, {
      retry: false,
    });
  }
  return `${type === "filesystem" ? "" : "Secret, "}store can be written and read`;
}
