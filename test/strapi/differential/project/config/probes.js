module.exports = ({ env }) => ({ greeting: 'hello', nested: { number: 7 }, fallback: env.int('NO_SUCH_VARIABLE', 3) });
