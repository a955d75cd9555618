import { Badge, MenuToggle, Select, SelectList, SelectOption } from "@patternfly/react-core";
import { useState } from "react";

interface FilterMenuProps {
  readonly title: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Narrows a list to some values of one thing. */
export function FilterMenu({ title, options, chosen, onChoose }: FilterMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const flip = (value: string) =>
    onChoose(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]);
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={(_event, value) => flip(String(value))}
      selected={chosen}
      isScrollable
      popperProps={{ appendTo: "inline" }}
      toggle={(ref) => (
        <MenuToggle ref={ref} isExpanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {title}
          {chosen.length > 0 && (
            <Badge isRead className="hw-count">
              {chosen.length}
            </Badge>
          )}
        </MenuToggle>
      )}
    >
      <SelectList>
        {options.map(([value, words]) => (
          <SelectOption key={value} value={value} hasCheckbox isSelected={chosen.includes(value)}>
            {words}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}
