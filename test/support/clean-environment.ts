import { listSettings } from '#settings/sections.js';

/**
 * Removes every variable that Mangrove reads from the environment of the test run, so that a shell or a CI machine that sets PORT,
 * MONGODB_URI or NODE_ENV runs the same tests. Imported before everything else: libraries read NODE_ENV while they load.
 * FORCE_COLOR goes too: it puts colours into what programs print that tests start. Variables that name programs of the machine
 * stay: MONGOMS_*, CHROMIUM_PATH.
 */
for (const variable of ['NODE_ENV', 'FORCE_COLOR', ...listSettings().map((setting) => setting.variable)])
  if (variable !== null) Reflect.deleteProperty(process.env, variable);
