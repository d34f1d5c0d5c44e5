import type { Feature } from '#http/feature.js';
import type { ContextRoute } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import { entryKey, takeEntryKey } from '#http/steps/entry-key.js';
import { adminDeclarations } from '../api/declarations.js';
import { hasPreviews } from './settings.js';

const loadTokens = () => import('./open-token.js');
const loadEvents = () => import('./events.js');

const events = (prefix: string): ContextRoute => ({
  method: 'GET',
  path: `${prefix}/preview/events`,
  action: 'anybody',
  steps: [unidentified, entryKey.refusedInWrites],
  settings: { isLong: true },
  handleContext: async (ctx, call) => (await loadEvents()).answerEvents(takeEntryKey(ctx), ctx.querystring, call),
});

/** Lets editors show drafts to whoever has a token of theirs. */
export const preview: Feature = {
  name: 'preview',
  ...adminDeclarations.preview,
  isEnabled: hasPreviews,
  entryKeys: { open: async (token, request) => (await loadTokens()).openToken(token, request) },
  routes: ({ config }) => [events(config.api.rest.prefix)],
};
