import type { ConfigFile } from '../src/config/config.js';

export default {
  // Any website may read what is public. A list of origins may have `credentials: true` as well.
  cors: { origin: '*' },
} satisfies ConfigFile<'middlewares'>;
