import type { Document } from 'mongodb';

/** Adds the collections that a command reads. Its first key names one, and the joins and unions of a pipeline name further ones. */
export function addCollections(collections: string[], command: Document): void {
  for (const name in command) {
    collections.push(String(command[name]));
    break;
  }
  addJoined(collections, command['pipeline']);
}

function addJoined(collections: string[], stages: unknown): void {
  if (!Array.isArray(stages)) return;
  for (const stage of stages as readonly Readonly<Record<string, Document | undefined>>[]) {
    for (const facet of Object.values(stage['$facet'] ?? {})) addJoined(collections, facet);
    const joined = stage['$lookup'] ?? stage['$unionWith'];
    if (joined === undefined) continue;
    collections.push(String(joined['from'] ?? joined['coll']));
    addJoined(collections, joined['pipeline']);
  }
}
