import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A program that runs another one as the user nobody, and a folder that this user may write to. */
export async function asNobody(
  program: string,
  options: { readonly scratch: string; readonly folder: string },
): Promise<{ program: string; scratch: string; place: { kind: "filesystem"; path: string } }> {
  for (const path of [
    options.scratch,
    join(options.scratch, "kopia"),
    options.folder,
    join(options.folder, "repository"),
  ]) {
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
  }
  const wrapper = join(options.folder, "wrapper");
  await writeFile(wrapper, `#!/bin/sh\nexec setpriv --reuid=65534 --clear-groups -- '${program}' "$@"\n`);
  await chmod(wrapper, 0o755);
  const place = { kind: "filesystem", path: join(options.folder, "repository") } as const;
  return { program: wrapper, scratch: options.scratch, place };
}
