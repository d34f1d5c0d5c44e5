import { flag, group, shaped } from './setting.js';

/** Seconds until each further attempt of a delivery: within a minute, then over three days. */
const retries: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** The settings of config/webhooks: how events are delivered. */
export const webhookSettings = group({
  retries: shaped<readonly number[]>(
    { type: 'array', maxItems: 20, items: { type: 'number', minimum: 0, maximum: 604_800 } },
    retries,
    'Seconds from a failed delivery to each further attempt; up to a fifth more, by chance',
  ),
  allowPrivate: flag(false, 'Deliver to addresses of this machine and of private networks too', {
    variable: 'WEBHOOKS_ALLOW_PRIVATE',
  }),
});
