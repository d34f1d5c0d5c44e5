import { guardingPublications } from '#content/guard-publications.js';
import type { Feature } from '#http/feature.js';
import type { EntryWritten } from '#store/changes/entry-events.js';
import { enabledWebhooks } from '../webhooks/enabled-webhooks.js';
import { updateSubscriber } from '../webhooks/outbox.js';
import { workflowOf, workflowOption } from './workflow-option.js';

const moved = 'entry.stage';

/** Stages of entries, and publication from one of them alone. The routes that move entries are those of the admin API. */
export const workflow: Feature = {
  name: 'workflow',
  options: [workflowOption],
  start: ({ config, source, backend: { store } }) => {
    const parts = { config, source, webhooks: enabledWebhooks(store.changes) };
    const telling = updateSubscriber(parts, { names: [moved], isOf: (type) => workflowOf(type) !== null, find: moveIn });
    const ends = [guardingPublications, telling].map((one) => store.changes.subscribe(one));
    return Promise.resolve(() => Promise.resolve(ends.forEach((end) => end())));
  },
};

/** Returns the event of an update that has moved an entry, with the stages between which it has; null for other updates. */
function moveIn({ type, before, document }: EntryWritten) {
  const workflow = workflowOf(type);
  if (workflow === null || before === undefined) return null;
  const [from, to] = [workflow.stageOf(before), workflow.stageOf(document)];
  return from === to ? null : ({ name: moved, more: { stage: { from, to } } } as const);
}
