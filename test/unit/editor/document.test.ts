import { expect, test } from "vitest";
import { isPlaybook } from "../../../src/playbook/is-playbook.ts";

test.for([
  "playbook: 1\n",
  "\ufeffplaybook: 1\n",
  "# a comment\n\nname: x\nplaybook: 1\n",
  "{ playbook: 1 }",
  '"playbook": 1',
  "steps: [\nplaybook: 1",
])("%j is meant to be a playbook", (text) => expect(isPlaybook(text)).toBe(true));

test.for([
  "",
  "services: { web: { image: x } }\n",
  "my:\n  playbook: 1\n",
  "# playbook: 1\n",
  "playbooks: []\n",
  "environments: {}\n",
])("%j is not a playbook", (text) => expect(isPlaybook(text)).toBe(false));
