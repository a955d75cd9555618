import { AppError, messageOf } from "../../../errors.ts";
import type { Work } from "../../../kinds/index.ts";
import type { Call } from "./call.ts";

/** Works on several things at a time and tells each as a part of the phase; any failure fails all, with every reason. */
export async function overAll<T>(
  { progress, signal }: Pick<Call, "progress" | "signal">,
  noun: "pods" | "containers",
  names: readonly string[],
  work: (name: string, index: number, onProgress: (news: Work) => void) => Promise<T>,
): Promise<T[]> {
  let done = 0;
  const tell = () => progress.update({ step: `${done} of ${names.length} ${noun} done` });
  for (const name of names) progress.part(name, "running");
  tell();
  const results = await Promise.allSettled(
    names.map(async (name, i) => {
      try {
        const result = await work(name, i, (news) => progress.part(name, "running", news));
        progress.part(name, "completed");
        done += 1;
        tell();
        return result;
      } catch (error) {
        progress.part(name, "failed");
        throw error;
      }
    }),
  );
  signal.throwIfAborted();
  const faults = results.flatMap((one) => (one.status === "rejected" ? [messageOf(one.reason)] : []));
  if (faults.length > 0) throw new AppError("ACTION_COMMAND", faults.join("\n"), { retry: false });
  return results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}
