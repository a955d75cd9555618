import { Label, Title } from "@patternfly/react-core";
import type { BoardLocation } from "../../observe/index.ts";
import { counted } from "../../progress/index.ts";

/** Where backups are kept, and whether it can be reached. */
export function Locations({ locations }: { readonly locations: readonly BoardLocation[] }) {
  return (
    <>
      <Title headingLevel="h2" size="lg">
        Storage locations
      </Title>
      {locations.length === 0 ? (
        <p className="hw-subtle">
          There is none, so no backup can be kept: <code>headway location create --help</code>
        </p>
      ) : (
        <ul className="hw-locations">
          {locations.map((location) => (
            <li key={`${location.namespace}/${location.name}`}>
              <Label color={colorOf(location)} isCompact>
                {stateOf(location)}
              </Label>
              <strong>{location.name}</strong>
              <span className="hw-subtle">
                {[
                  location.provider,
                  counted(location.backups, "backup"),
                  ...(location.isDefault ? ["default"] : []),
                  ...(location.isReadOnly ? ["read only"] : []),
                ].join(" · ")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function stateOf({ isAvailable }: BoardLocation): string {
  if (isAvailable === undefined) return "Not checked yet";
  return isAvailable ? "Available" : "Unavailable";
}

function colorOf({ isAvailable }: BoardLocation): "grey" | "green" | "red" {
  if (isAvailable === undefined) return "grey";
  return isAvailable ? "green" : "red";
}
