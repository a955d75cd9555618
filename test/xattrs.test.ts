// Volumes are compared with their extended attributes where the machine can tell them; where it cannot, this says so.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fillTree, noXattrs, setXattr, treeLines } from "./harness/tree.ts";

const why = noXattrs === undefined ? "" : ` (skipped: ${noXattrs})`;

test.skipIf(noXattrs !== undefined)(`extended attributes are among what is compared${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "xattrs-"));
  try {
    fillTree(folder, [1, 2], true);
    const before = treeLines(folder);
    expect(before.at(-1)).toContain("user.headway=0x00ff0a");
    writeFileSync(join(folder, "other"), "");
    const with0 = treeLines(folder);
    setXattr(join(folder, "other"), "user.other", "1");
    expect(treeLines(folder)).toHaveLength(with0.length + 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
