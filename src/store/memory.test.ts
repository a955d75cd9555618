import { storeConformance } from "./conformance.ts";
import { MemoryStore } from "./memory.ts";

storeConformance({
  name: "MemoryStore",
  open: () => Promise.resolve({ store: new MemoryStore(), close: () => Promise.resolve() }),
});
