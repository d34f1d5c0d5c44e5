import type { Feature } from '../http/feature.js';
import { deliveryCollection } from '../mongo/stores/delivery-store.js';
import { startWebhooks } from '../webhooks/start-webhooks.js';

/** Tells other services of events. Its routes are those of the admin API and of the panel. */
export const webhooks: Feature = {
  name: 'webhooks',
  collections: [deliveryCollection],
  start: startWebhooks,
};
