import { PassThrough } from "node:stream";
import { AppError } from "../errors.ts";
import { builtIn, type Client } from "../kube/index.ts";
import type { FileEntry } from "../movers/index.ts";
import type { pathIn } from "./backup-contents.ts";
import { tarOfFile } from "./tar-of-file.ts";
import type { Target } from "./target.ts";

/** A link in the way: the folder is not where its name says. */
const linkExit = 78;
/** A tar that would read names of other systems wrongly. */
const tarExit = 79;
const maxSaidChars = 2_000;

/**
 * Goes down into the volume name by name, and through no link: a pod may have put one there. Names are words of their own, never parts
 * of the script. Tars that know no pax names (busybox) are given single files only, which need none.
 */
const script = `set -eu
whole=$1; shift
cd -P "$1"; root=$(pwd -P); shift
for name in "$@"; do
  if [ -L "./$name" ]; then exit ${linkExit}; fi
  [ -d "./$name" ] || mkdir "./$name"
  cd -P "./$name"
done
case "$(pwd -P)/" in "$root"/*) ;; *) exit ${linkExit} ;; esac
if [ "$whole" = yes ]; then
  case "$(tar --version 2>/dev/null || true)" in *"GNU tar"*|*bsdtar*) ;; *) exit ${tarExit} ;; esac
fi
exec tar -xpf -`;

type Source = Awaited<ReturnType<typeof pathIn>>;

/** Writes a file, or all that is in a folder, into a folder of a running container's volume. What has the same name is overwritten. */
export async function putFiles(
  client: Pick<Client, "exec">,
  { mover, at }: Source,
  { entry, target, folder }: { readonly entry: FileEntry; readonly target: Target; readonly folder: string },
  signal: AbortSignal,
): Promise<void> {
  const isFolder = entry.type === "folder";
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const stdin = new PassThrough(); // its own buffer bounds what is read ahead
  const onData = (chunk: Uint8Array) => written(stdin, chunk, either);
  const feeding = (async () => {
    const frame = isFolder ? undefined : tarOfFile(entry);
    if (frame) await onData(frame.head);
    await mover[isFolder ? "archive" : "read"]({ ...at, onData }, either);
    if (frame) await onData(frame.tail);
    stdin.end();
  })();
  // A source that breaks ends the command too: the first failure is the one to tell.
  let failed: { readonly error: unknown } | undefined;
  feeding.catch((error: unknown) => {
    failed = { error };
    stdin.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  let said = "";
  const names = folder === "/" ? [] : folder.slice(1).split("/");
  try {
    const { exitCode } = await client.exec(
      builtIn.pods,
      target.pod,
      {
        namespace: target.namespace,
        container: target.container,
        command: ["sh", "-c", script, "sh", isFolder ? "yes" : "no", target.mountPath, ...names],
        stdin,
        onStderr: (chunk) => void (said = `${said}${chunk.toString("utf8")}`.slice(0, maxSaidChars)),
      },
      signal,
    );
    if (failed) throw failed.error;
    if (exitCode !== 0) throw refusal(exitCode, target, folder, said);
    await feeding;
  } finally {
    stop.abort(new Error("nobody takes the files any more"));
    await feeding.catch(() => undefined); // told above, or the end of the command is the cause
  }
}

async function written(stdin: PassThrough, chunk: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (stdin.write(chunk)) return;
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    stdin.once("drain", () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

function refusal(
  exitCode: number,
  { namespace, pod, container }: Target,
  folder: string,
  said: string,
): AppError {
  const where = `container "${container}" of pod "${namespace}/${pod}"`;
  const words =
    exitCode === linkExit
      ? `${JSON.stringify(folder)} leads through a link in ${where}, and links are not followed`
      : exitCode === tarExit
        ? `${where} has no GNU tar or bsdtar, which a folder needs; single files can be put there`
        : `${where} could not take the files (exit ${exitCode}; it needs sh and tar): ${said.replaceAll(/\p{Cc}+/gu, " ").trim()}`;
  return new AppError("RESTORE_TARGET", words, { retry: false });
}
