#!/usr/bin/env node
// The launcher: plain old JavaScript, so that an old Node can still say what is wrong with it.
var major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  process.stderr.write(
    "headway: needs Node 24 or newer, this is Node " +
      process.versions.node +
      " (" +
      process.execPath +
      ").\n" +
      "In a clone, `npm ci` brings Node 24 along: run `npx headway …` there. Elsewhere, install Node 24 LTS.\n",
  );
  process.exitCode = 2;
} else {
  void Promise.all([import("node:fs"), import("node:module")]).then(function (modules) {
    var fs = modules[0];
    // Keeps compiled code between runs: a third of the start-up time of a clone.
    modules[1].enableCompileCache();
    // A clone runs its sources as they are; the published package has only dist/.
    var source = new URL("../src/main.ts", import.meta.url);
    var entry = fs.existsSync(source) ? source : new URL("../dist/src/main.js", import.meta.url);
    return import(entry.href).then(function (m) {
      return m.main();
    });
  });
}
