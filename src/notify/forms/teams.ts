import { shownState, titleOf } from "../../progress/index.ts";
import { barOf, type Form, sentenceOf } from "../telling.ts";

const colors: Readonly<Record<string, string>> = {
  completed: "Good",
  skipped: "Good",
  stalled: "Warning",
  "partially-failed": "Warning",
  failed: "Attention",
  canceled: "Warning",
};

/** An adaptive card, as the workflow "post to a channel when a webhook request is received" takes it. Cards are not edited. */
export const teams: Form = {
  compose(telling, { url, headers }) {
    const { operation, cluster, event, atMs } = telling;
    const { ref } = operation;
    const facts = [
      ["Kind", ref.kind],
      ["Namespace", ref.namespace],
      ["Cluster", cluster],
      ["About", telling.about.join(", ")],
    ].filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== "");
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      body: [
        {
          type: "TextBlock",
          text: titleOf(operation),
          weight: "Bolder",
          size: "Medium",
          color: colors[event === "test" ? "completed" : shownState(operation)] ?? "Default",
          wrap: true,
        },
        { type: "TextBlock", text: sentenceOf(telling), wrap: true },
        ...(event === "test"
          ? []
          : [{ type: "TextBlock", text: barOf(operation, atMs), wrap: true, isSubtle: true }]),
        { type: "FactSet", facts: facts.map(([title, value]) => ({ title, value })) },
      ],
    };
    const attachments = [
      { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content },
    ];
    return {
      url,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ type: "message", attachments }),
    };
  },
};
