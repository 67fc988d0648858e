package main

import "fmt"

// suppliers are whom offers are asked of.
var suppliers = []string{"north", "south", "west"}

// offer is the first offer that comes in.
func offer(item string) string {
	offers := make(chan string)
	for _, supplier := range suppliers {
		go func() {
			offers <- fmt.Sprintf("%s sells %s", supplier, item)
		}()
	}
	return <-offers
}
