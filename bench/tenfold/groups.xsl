<!-- Sums the values of each group of items, sorted, for tenfold.sh.
     SPDX-License-Identifier: GPL-2.0-or-later -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:key name="group" match="item" use="@group"/>
  <xsl:template match="/all">
    <sums>
      <xsl:for-each select="item[generate-id() = generate-id(key('group', @group)[1])]">
        <xsl:sort select="sum(key('group', @group)/value)" data-type="number"/>
        <sum group="{@group}"><xsl:value-of select="sum(key('group', @group)/value)"/></sum>
      </xsl:for-each>
      <xsl:for-each select="item">
        <xsl:sort select="name"/>
        <name><xsl:value-of select="translate(name, 'aeiou', 'AEIOU')"/></name>
      </xsl:for-each>
    </sums>
  </xsl:template>
</xsl:stylesheet>
