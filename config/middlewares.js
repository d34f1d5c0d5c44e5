/** @type {import('mangrove').ConfigFile<'middlewares'>} */
export default {
  // Any website may read what is public. A list of origins may have `credentials: true` as well.
  cors: { origin: '*' },
};
