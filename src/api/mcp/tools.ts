import type { AgentCall } from './agent-call.js';
import { create } from './create-tool.js';
import { describe } from './describe.js';
import { projectTools } from './project-tools.js';
import { aggregateEntries, count, findEntriesTool, get } from './read-tools.js';
import { enabledTools, servedTypes } from './served-types.js';
import type { TypeTool } from './tool-names.js';
import type { Tool } from './tool.js';
import { deleteEntry, publish, unpublish, update } from './write-tools.js';

const ofTypes: Readonly<Record<TypeTool, Tool>> = {
  find: findEntriesTool,
  get,
  count,
  aggregate: aggregateEntries,
  create,
  update,
  delete: deleteEntry,
  publish,
  unpublish,
};

/** Returns the tools that the caller may use on some type, in their order. */
export function offeredTools(call: AgentCall): readonly Tool[] {
  const usable = new Set(servedTypes(call).flatMap(({ tools }) => tools));
  return [
    describe,
    ...enabledTools(call)
      .filter((name) => usable.has(name))
      .map((name) => ofTypes[name]),
    ...projectTools(call),
  ];
}

/** Returns the tool of a name; null if the configuration does not offer it. Whether the caller may use it depends on the type. */
export function findTool(name: string, call: AgentCall): Tool | null {
  if (name === describe.definition.name) return describe;
  const found = enabledTools(call).find((one) => one === name);
  if (found !== undefined) return ofTypes[found];
  return projectTools(call).find(({ definition }) => definition.name === name) ?? null;
}
