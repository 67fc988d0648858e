package instr

import (
	"reflect"
	"regexp"
	"testing"
)

// packageForms are the functions of the package that do what a method of the default registry does.
var packageForms = map[string]any{
	"Attach": Attach, "AttachConnection": AttachConnection, "Dial": Dial, "DialContext": DialContext, "Go": Go, "Listen": Listen,
	"NewCond": NewCond, "NewDigest": NewDigest, "NewConnPool": NewConnPool, "NewContextWait": NewContextWait, "NewGroup": NewGroup, "NewGroupContext": NewGroupContext,
	"NewOnce": NewOnce, "NewPool": NewPool, "NewSemaphore": NewSemaphore, "NewWaitGroup": NewWaitGroup, "NewFileClass": NewFileClass, "NewMemoryClass": NewMemoryClass, "NewMetadataLockClass": NewMetadataLockClass,
	"NewMeter": NewMeter, "NewMutex": NewMutex, "NewProgram": NewProgram, "NewRWMutex": NewRWMutex, "NewStageClass": NewStageClass,
	"NewStatementClass": NewStatementClass, "NewStatementDetail": NewStatementDetail, "NewStatusVariable": NewStatusVariable,
	"NewRowLockClass": NewRowLockClass, "NewTable": NewTable, "NewTemporaryTable": NewTemporaryTable, "NewThreadClass": NewThreadClass,
	"DialUDP": DialUDP, "DialUnix": DialUnix, "ListenPacket": ListenPacket, "ListenUDP": ListenUDP, "ListenUnixgram": ListenUnixgram,
	"WrapConn": WrapConn, "WrapListener": WrapListener, "WrapPacketConn": WrapPacketConn, "WrapUDPConn": WrapUDPConn, "WrapUnixConn": WrapUnixConn,
}

// Each method of Registry that makes something has a form for the default registry.
func TestConstructorsHaveBothForms(t *testing.T) {
	makes := regexp.MustCompile("^(New|Attach|Dial|Listen|Wrap|Go$)")
	methods := reflect.TypeFor[*Registry]()
	found := 0
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		if !makes.MatchString(m.Name) {
			continue
		}
		found++
		form := packageForms[m.Name]
		if form == nil {
			t.Errorf("Registry.%s has no form for the default registry", m.Name)
			continue
		}
		if got, want := reflect.TypeOf(form), reflect.ValueOf(Default).Method(i).Type(); got != want {
			t.Errorf("%s is %v, and the method %v", m.Name, got, want)
		}
	}
	if found != len(packageForms) {
		t.Errorf("%d methods, %d functions", found, len(packageForms))
	}
}
