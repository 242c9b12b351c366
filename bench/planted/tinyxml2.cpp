// Makes and prints a document of many elements with TinyXML-2.
// SPDX-License-Identifier: GPL-2.0-or-later
//
//     tinyxml2 N
#include <cstdio>
#include <cstdlib>
#include <tinyxml2.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    tinyxml2::XMLDocument document;
    tinyxml2::XMLElement *root = document.NewElement("root");
    document.InsertEndChild(root);
    for (int i = 0; i < n; i++) {
        tinyxml2::XMLElement *item = document.NewElement("item");
        item->SetAttribute("id", i);
        root->InsertEndChild(item);
    }
    tinyxml2::XMLPrinter printer;
    document.Print(&printer);
    std::printf("%d\n", printer.CStrSize());
    return 0;
}
