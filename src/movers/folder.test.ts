import { expect, test } from "vitest";
import { checkFolder } from "./folder.ts";

test("checkFolder() takes folders only", async () => {
  await checkFolder(import.meta.dirname);
  await expect(checkFolder(import.meta.filename)).rejects.toMatchObject({ code: "MOVER_PATH" });
  await expect(checkFolder("/no/such")).rejects.toMatchObject({ code: "MOVER_PATH" });
});
