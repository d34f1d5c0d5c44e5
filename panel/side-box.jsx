import { Box, Divider, Typography } from '@strapi/design-system';

/** A part of the side of a form, with a title. */
export const SideBox = ({ title, children }) => (
  <Box paddingTop={6}>
    <Typography variant="sigma" textColor="neutral600" as="h2">
      {title}
    </Typography>
    <Box paddingTop={2} paddingBottom={6}>
      <Divider />
    </Box>
    {children}
  </Box>
);
