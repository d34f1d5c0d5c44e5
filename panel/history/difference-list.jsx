import { Box, Flex, Typography } from '@strapi/design-system';

/** What differs between two forms of an entry, as `differencesOf` returns it; `before` and `after` are their names. */
export function DifferenceList({ rows, before, after, none }) {
  if (rows.length === 0) return <Typography>{none}</Typography>;
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      {rows.map((row) => (
        <Box key={row.path}>
          <Typography fontWeight="bold" as="h3">
            {row.path}
          </Typography>
          <Flex alignItems="flex-start" gap={2} wrap="wrap">
            <Side title={before} text={row.before} background="danger100" />
            <Side title={after} text={row.after} background="success100" />
          </Flex>
        </Box>
      ))}
    </Flex>
  );
}

const Side = ({ title, text, background }) => (
  <Box background={background} padding={3} hasRadius flex="1 1 14rem" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
    <Typography variant="pi" textColor="neutral600" as="div">
      {title}
    </Typography>
    <Typography style={{ whiteSpace: 'pre-wrap' }}>{text === '' ? '–' : text}</Typography>
  </Box>
);
