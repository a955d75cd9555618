import type { Chapter } from "./chapter.ts";
import { databaseAction } from "./chapters/database-action.ts";
import { moveStory } from "./chapters/move-story.ts";
import { nativeSnapshot } from "./chapters/native-snapshot.ts";
import { rehearsal } from "./chapters/rehearsal.ts";
import { shopStory } from "./chapters/shop-story.ts";

/** The story in the order in which it is told; a chapter is a file in chapters/ and a line here. */
export function allChapters(megabytes: number): Chapter[] {
  return [...shopStory(megabytes), rehearsal(), databaseAction(), nativeSnapshot(), moveStory];
}
