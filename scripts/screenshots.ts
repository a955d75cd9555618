// Takes the pictures of docs/pictures from the real page in Chromium, on the embedded cluster. Run it after a change of the page:
// `npm run page && node scripts/screenshots.ts`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser } from "../test/harness/browser.ts";
import { moveVolume, parade } from "../test/harness/page-parade.ts";
import { PageWorld } from "../test/harness/page-world.ts";

const folder = join(import.meta.dirname, "../docs/pictures");
mkdirSync(folder, { recursive: true });
const gib = 1024 ** 3;
const [world, browser] = await Promise.all([PageWorld.open(), openBrowser()]);
await parade(world);
let beats = 0;
const mover = setInterval(() => {
  beats += 1;
  const share = (from: number) => Math.min(0.99, from + beats * 0.006);
  void moveVolume(world, "shop-nightly-database", 4 * gib, share(0.62));
  void moveVolume(world, "shop-nightly-uploads", 8 * gib, share(0.3));
  void moveVolume(world, "shop-nightly-search", 12 * gib, share(0.05));
}, 1_000);
await new Promise((resolve) => setTimeout(resolve, 15_000)); // so that there are rates, estimates and curves to see
const pictures = [
  ["operations", world.server.address(), 1280, 860, "light"],
  ["backup", world.addressOf("Backup", "shop-nightly"), 1280, 960, "light"],
  ["migration-dark", world.addressOf("MigMigration", "shop-to-cloud"), 1280, 760, "dark"],
  ["migration-failed", world.addressOf("MigMigration", "blog-to-cloud"), 1280, 760, "light"],
  ["start-backup", world.server.address("/create/backup"), 1280, 720, "light"],
  ["narrow", world.server.address(), 400, 800, "dark"],
] as const;
for (const [name, address, width, height, colorScheme] of pictures) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
clearInterval(mover);
await browser.close();
await world.close();
